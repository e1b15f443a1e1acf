import type { MessageWords } from "../words";

/** Arabic has six forms of a number; the two-form helper of other languages would be wrong for most of them. */
const FORMS: Record<Intl.LDMLPluralRule, (count: number) => string> = {
  zero: () => "أقل من دقيقة",
  one: () => "دقيقة واحدة",
  two: () => "دقيقتين",
  few: (count) => `${count} دقائق`,
  many: (count) => `${count} دقيقة`,
  other: (count) => `${count} دقيقة`,
};
const rules = new Intl.PluralRules("ar");
const minutes = (count: number) => FORMS[rules.select(count)](count);

export const ar: MessageWords = {
  reminder: "تذكير",
  when: "الموعد",
  openLink: "فتح الرابط",
  manage: "تعديل هذا التذكير أو إلغاؤه",
  why: "طلبت من Punctual أن يذكّرك بهذا.",
  signInSubject: (code) => `${code} هو رمز تسجيل الدخول`,
  signInHeading: "رمز تسجيل الدخول",
  signInExplanation: "أدخل هذا الرمز في الصفحة التي طلبته منها.",
  validFor: (count) => `يبقى صالحًا ${minutes(count)}.`,
  notYou: "إن لم تطلبه فتجاهل هذه الرسالة. لا تشارك الرمز مع أحد.",
  phoneCode: (code, count) => `${code} هو رمز Punctual الخاص بك، صالح ${minutes(count)}. لا تشاركه مع أحد.`,
  deviceTest: { title: "الإشعارات تعمل", body: "ستظهر التذكيرات على هذا الجهاز." },
  stopEmail: "إيقاف التذكيرات عبر البريد الإلكتروني",
  done: "تم",
  snooze: "بعد ساعة",
  page: {
    title: "تذكيرك",
    due: "الموعد",
    doneButton: "تم",
    snoozeHour: "ذكّرني بعد ساعة",
    snoozeTomorrow: "صباح الغد",
    cancelButton: "إلغاء التذكير",
    stopHeading: (channel) => `إيقاف التذكيرات عبر ${channel}؟`,
    stopButton: (channel) => `إيقاف التذكيرات عبر ${channel}`,
    stopExplanation: (channel) =>
      `لن تُرسل التذكيرات عبر ${channel} بعد الآن. تبقى الطرق الأخرى كما هي، ويمكنك تشغيلها من جديد من صفحة القنوات.`,
    channelNames: { email: "البريد الإلكتروني", sms: "الرسائل النصية", push: "الإشعارات" },
    said: {
      done: "تم. لن يُرسل شيء آخر بشأنه.",
      snoozed: "تم التأجيل. سيعود في الموعد أدناه.",
      cancelled: "أُلغي التذكير. ما لم يُرسل بعد لن يُرسل.",
      stopped: (channel) => `أُوقفت التذكيرات عبر ${channel}.`,
      late: "لم يعد ذلك ممكنًا. هذا هو الوضع الآن.",
    },
    parcel: {
      title: "طردك",
      leave: "أوقف متابعة هذا الطرد",
      leaveExplanation: "لن يصلك شيء آخر عن هذا الطرد. تبقى الطرود الأخرى التي تتابعها كما هي.",
      left: "لم تعد تتابع هذا الطرد.",
      stopButton: (channel) => `أوقف كل تحديثات الطرود عبر ${channel}`,
      stopExplanation: (channel) =>
        `لن تصل أخبار أي طرد عبر ${channel}. يمكنك تشغيلها من جديد من صفحة القنوات.`,
      stopped: (channel) => `أُوقفت تحديثات الطرود عبر ${channel}.`,
      signIn: "عرض الطرد",
    },
    signIn: "عرض كل تذكيراتك",
    unknownTitle: "هذا الرابط لا يؤدي إلى شيء",
    unknown: "ربما كان ناقصًا، أو لم يعد تذكيره موجودًا. لم يتغير شيء.",
    inProgress: "(جارٍ التنفيذ)",
  },
};
