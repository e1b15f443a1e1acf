import type { MessageLocale } from "../../db/rules/message-locale";
import type { Milestone } from "../../db/rules/shipment-status";

/** What a shipment update says, in one language. */
export interface ShipmentWords {
  /** The status as a sentence about "your parcel", without a full stop. */
  headline: Record<Milestone, string>;
  update: string;
  order(order: string): string;
  pickUpCode: string;
  expected: string;
  track: string;
  manage: string;
  /** Small print: ends it. */
  stop: string;
  why: string;
}

const WORDS: Record<MessageLocale, ShipmentWords> = {
  en: {
    headline: {
      info_received: "Your parcel is announced to the carrier",
      in_transit: "Your parcel is on its way",
      out_for_delivery: "Your parcel is out for delivery",
      failed_attempt: "Your parcel could not be handed over",
      exception: "Your parcel is held up",
      available_for_pickup: "Your parcel is ready to be picked up",
      expired: "The carrier has no news of your parcel",
      delivered: "Your parcel was delivered",
      returned: "Your parcel is going back to the sender",
    },
    update: "Shipment update",
    order: (order) => `Order ${order}`,
    pickUpCode: "Pick-up code",
    expected: "Expected",
    track: "Track the parcel",
    manage: "Change what you are told",
    stop: "No more of this parcel",
    why: "You follow this parcel with Punctual.",
  },
  de: {
    headline: {
      info_received: "Ihr Paket ist beim Zusteller angekündigt",
      in_transit: "Ihr Paket ist unterwegs",
      out_for_delivery: "Ihr Paket ist in der Zustellung",
      failed_attempt: "Ihr Paket konnte nicht übergeben werden",
      exception: "Ihr Paket wird aufgehalten",
      available_for_pickup: "Ihr Paket liegt zur Abholung bereit",
      expired: "Der Zusteller hat keine Nachricht von Ihrem Paket",
      delivered: "Ihr Paket wurde zugestellt",
      returned: "Ihr Paket geht an den Absender zurück",
    },
    update: "Neues von Ihrem Paket",
    order: (order) => `Bestellung ${order}`,
    pickUpCode: "Abholcode",
    expected: "Erwartet",
    track: "Paket verfolgen",
    manage: "Benachrichtigungen ändern",
    stop: "Nichts mehr von diesem Paket",
    why: "Sie folgen diesem Paket mit Punctual.",
  },
  fr: {
    headline: {
      info_received: "Votre colis est annoncé au transporteur",
      in_transit: "Votre colis est en route",
      out_for_delivery: "Votre colis est en cours de livraison",
      failed_attempt: "Votre colis n'a pas pu être remis",
      exception: "Votre colis est retardé",
      available_for_pickup: "Votre colis est prêt à être retiré",
      expired: "Le transporteur n'a pas de nouvelles de votre colis",
      delivered: "Votre colis a été livré",
      returned: "Votre colis retourne à l'expéditeur",
    },
    update: "Suivi de colis",
    order: (order) => `Commande ${order}`,
    pickUpCode: "Code de retrait",
    expected: "Prévu",
    track: "Suivre le colis",
    manage: "Modifier vos notifications",
    stop: "Ne plus rien recevoir sur ce colis",
    why: "Vous suivez ce colis avec Punctual.",
  },
  ar: {
    headline: {
      info_received: "تم إبلاغ شركة الشحن بطردك",
      in_transit: "طردك في الطريق",
      out_for_delivery: "طردك خرج للتسليم",
      failed_attempt: "تعذّر تسليم طردك",
      exception: "تأخّر طردك",
      available_for_pickup: "طردك جاهز للاستلام",
      expired: "لا أخبار عن طردك لدى شركة الشحن",
      delivered: "تم تسليم طردك",
      returned: "طردك في طريقه إلى المرسل",
    },
    update: "تحديث الشحنة",
    order: (order) => `الطلب ${order}`,
    pickUpCode: "رمز الاستلام",
    expected: "متوقع",
    track: "تتبّع الطرد",
    manage: "تغيير الإشعارات",
    stop: "لا مزيد من أخبار هذا الطرد",
    why: "أنت تتابع هذا الطرد عبر Punctual.",
  },
};

/** The words of shipment updates in a language. */
export function shipmentWords(language: MessageLocale): ShipmentWords {
  return WORDS[language];
}
