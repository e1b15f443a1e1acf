import type { MessageLocale } from "../../db/rules/message-locale";
import type { NoticeTemplate } from "../../db/rules/notice-schemas";

/** What a notice about an account says, in one language. */
export interface NoticeWords {
  headline: Record<NoticeTemplate, string>;
  /** What to do, or how to read it. */
  advice: Record<NoticeTemplate, string>;
  open: Record<NoticeTemplate, string>;
  why: string;
}

const WORDS: Record<MessageLocale, NoticeWords> = {
  en: {
    headline: {
      "password-reset": "Set a new password",
      "fraud-alert": "Was this you?",
      "account-security": "Your account was changed",
    },
    advice: {
      "password-reset":
        "Use this link to set a new password. If you did not ask for it, ignore this message.",
      "fraud-alert": "If you do not recognise this, contact the shop at once.",
      "account-security": "If this was not you, secure your account at once.",
    },
    open: {
      "password-reset": "Set a new password",
      "fraud-alert": "Look at it",
      "account-security": "Open the account",
    },
    why: "This is a security message about your account; it is sent whatever you have turned off.",
  },
  de: {
    headline: {
      "password-reset": "Neues Passwort setzen",
      "fraud-alert": "Waren Sie das?",
      "account-security": "Ihr Konto wurde geändert",
    },
    advice: {
      "password-reset":
        "Mit diesem Link setzen Sie ein neues Passwort. Haben Sie keins angefordert, ist nichts zu tun.",
      "fraud-alert": "Kommt Ihnen das unbekannt vor, melden Sie sich sofort beim Shop.",
      "account-security": "Waren Sie das nicht, sichern Sie sofort Ihr Konto.",
    },
    open: {
      "password-reset": "Neues Passwort setzen",
      "fraud-alert": "Ansehen",
      "account-security": "Konto öffnen",
    },
    why: "Dies ist eine Sicherheitsmeldung zu Ihrem Konto; sie kommt, was immer Sie abgestellt haben.",
  },
  fr: {
    headline: {
      "password-reset": "Choisissez un nouveau mot de passe",
      "fraud-alert": "Était-ce vous ?",
      "account-security": "Votre compte a été modifié",
    },
    advice: {
      "password-reset":
        "Ce lien permet de choisir un nouveau mot de passe. Si vous n'avez rien demandé, ignorez ce message.",
      "fraud-alert": "Si vous ne reconnaissez pas ceci, contactez la boutique immédiatement.",
      "account-security": "Si ce n'était pas vous, sécurisez votre compte immédiatement.",
    },
    open: {
      "password-reset": "Choisir un mot de passe",
      "fraud-alert": "Vérifier",
      "account-security": "Ouvrir le compte",
    },
    why: "Ceci est un message de sécurité sur votre compte ; il est envoyé quels que soient vos réglages.",
  },
  ar: {
    headline: {
      "password-reset": "عيّن كلمة مرور جديدة",
      "fraud-alert": "هل كان هذا أنت؟",
      "account-security": "تم تغيير حسابك",
    },
    advice: {
      "password-reset": "استخدم هذا الرابط لتعيين كلمة مرور جديدة. إن لم تطلب ذلك فتجاهل هذه الرسالة.",
      "fraud-alert": "إن لم تتعرّف على هذا فاتصل بالمتجر فورًا.",
      "account-security": "إن لم تكن أنت فأمّن حسابك فورًا.",
    },
    open: {
      "password-reset": "عيّن كلمة مرور",
      "fraud-alert": "اطّلع على التفاصيل",
      "account-security": "افتح الحساب",
    },
    why: "هذه رسالة أمان عن حسابك، وتُرسل مهما كانت إعداداتك.",
  },
};

/** The words of notices about an account in a language. */
export function noticeWords(language: MessageLocale): NoticeWords {
  return WORDS[language];
}
