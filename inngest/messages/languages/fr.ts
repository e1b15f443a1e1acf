import type { MessageWords } from "../words";

const plural = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;

export const fr: MessageWords = {
  reminder: "Rappel",
  when: "Quand",
  openLink: "Ouvrir le lien",
  manage: "Modifier ou annuler ce rappel",
  why: "Vous avez demandé ce rappel à Punctual.",
  signInSubject: (code) => `${code} est votre code de connexion`,
  signInHeading: "Votre code de connexion",
  signInExplanation: "Saisissez ce code sur la page où vous l'avez demandé.",
  validFor: (minutes) => `Il est valable ${plural(minutes, "minute", "minutes")}.`,
  notYou: "Si vous ne l'avez pas demandé, ignorez ce message. Ne communiquez ce code à personne.",
  phoneCode: (code, minutes) =>
    `${code} est votre code Punctual, valable ${plural(minutes, "minute", "minutes")}. Ne le communiquez à personne.`,
  deviceTest: { title: "Cela fonctionne", body: "Les rappels s'afficheront sur cet appareil." },
  stopEmail: "Ne plus recevoir de rappels par e-mail",
  done: "Fait",
  snooze: "Dans une heure",
  page: {
    title: "Votre rappel",
    due: "Prévu",
    doneButton: "Fait",
    snoozeHour: "À nouveau dans une heure",
    snoozeTomorrow: "Demain matin",
    cancelButton: "Annuler le rappel",
    stopHeading: (channel) => `Ne plus recevoir de rappels par ${channel} ?`,
    stopButton: (channel) => `Arrêter les rappels par ${channel}`,
    stopExplanation: (channel) =>
      `Les rappels ne seront plus envoyés par ${channel}. Les autres moyens restent inchangés ; vous pouvez le réactiver sous « Channels ».`,
    channelNames: { email: "e-mail", sms: "SMS", push: "notification" },
    said: {
      done: "Fait. Plus rien ne sera envoyé.",
      snoozed: "Reporté. Il revient à l'heure ci-dessous.",
      cancelled: "Annulé. Ce qui n'était pas envoyé ne le sera pas.",
      stopped: (channel) => `Les rappels par ${channel} sont arrêtés.`,
      late: "Ce n'était plus possible. Voici où il en est.",
    },
    parcel: {
      title: "Votre colis",
      leave: "Ne plus suivre ce colis",
      leaveExplanation:
        "Vous ne recevrez plus rien sur ce colis. Les autres colis que vous suivez restent inchangés.",
      left: "Vous ne suivez plus ce colis.",
      stopButton: (channel) => `Arrêter tous les suivis de colis par ${channel}`,
      stopExplanation: (channel) =>
        `Plus aucun colis ne sera annoncé par ${channel}. Vous pouvez le réactiver sous « Channels ».`,
      stopped: (channel) => `Les suivis de colis par ${channel} sont arrêtés.`,
      signIn: "Voir le colis",
    },
    signIn: "Voir tous vos rappels",
    unknownTitle: "Ce lien ne mène nulle part",
    unknown: "Il est peut-être incomplet, ou son rappel n'existe plus. Rien n'a été changé.",
    inProgress: "(en cours)",
  },
};
