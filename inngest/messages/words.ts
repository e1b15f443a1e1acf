/** The languages that messages are written in. */
export type MessageLocale = "en" | "de" | "fr";

export interface MessageWords {
  reminder: string;
  when: string;
  openLink: string;
  manage: string;
  why: string;
  signInSubject(code: string): string;
  signInHeading: string;
  signInExplanation: string;
  validFor(minutes: number): string;
  notYou: string;
  phoneCode(code: string, minutes: number): string;
}

const plural = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;

const WORDS: Record<MessageLocale, MessageWords> = {
  en: {
    reminder: "Reminder",
    when: "When",
    openLink: "Open link",
    manage: "Change or cancel this reminder",
    why: "You asked Punctual to remind you of this.",
    signInSubject: (code) => `${code} is your sign-in code`,
    signInHeading: "Your sign-in code",
    signInExplanation: "Enter this code on the page where you asked for it.",
    validFor: (minutes) => `It is valid for ${plural(minutes, "minute", "minutes")}.`,
    notYou: "If you did not ask for it, you can ignore this message. Never pass the code on.",
    phoneCode: (code, minutes) =>
      `${code} is your Punctual code, valid for ${plural(minutes, "minute", "minutes")}. Never pass it on.`,
  },
  de: {
    reminder: "Erinnerung",
    when: "Wann",
    openLink: "Link öffnen",
    manage: "Diese Erinnerung ändern oder absagen",
    why: "Sie haben Punctual gebeten, Sie daran zu erinnern.",
    signInSubject: (code) => `${code} ist Ihr Anmeldecode`,
    signInHeading: "Ihr Anmeldecode",
    signInExplanation: "Geben Sie diesen Code auf der Seite ein, auf der Sie ihn angefordert haben.",
    validFor: (minutes) => `Er gilt ${plural(minutes, "Minute", "Minuten")}.`,
    notYou:
      "Wenn Sie ihn nicht angefordert haben, ist nichts zu tun. Geben Sie den Code an niemanden weiter.",
    phoneCode: (code, minutes) =>
      `${code} ist Ihr Punctual-Code, gültig ${plural(minutes, "Minute", "Minuten")}. Bitte nie weitergeben.`,
  },
  fr: {
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
  },
};

/** The language of a BCP 47 tag that messages exist in; English for the others. */
export function messageLocale(locale: string | null | undefined): MessageLocale {
  const language = (locale ?? "").toLowerCase().split("-")[0];
  return language === "de" || language === "fr" ? language : "en";
}

/** The words of messages in a language. */
export function messageWords(locale: string | null | undefined): MessageWords {
  return WORDS[messageLocale(locale)];
}
