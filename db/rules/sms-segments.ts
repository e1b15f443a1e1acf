/** The GSM 03.38 basic alphabet: one septet each. */
const GSM_BASIC = new Set(
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà",
);
/** Its extension table: an escape and the character, two septets, never parted by the end of a segment. */
const GSM_EXTENSION = new Set("\f^{}\\[~]|€");

/** Units that one message carries alone, and each part of a longer one: a header takes the difference. */
const UNITS_ALONE = { gsm7: 160, ucs2: 70 } as const;
const UNITS_PER_PART = { gsm7: 153, ucs2: 67 } as const;

export interface SmsSize {
  encoding: "gsm7" | "ucs2";
  /** Septets of GSM-7, or UTF-16 units of UCS-2. */
  units: number;
  /** What the carrier bills, and what one send costs against the meter; 0 for the empty text. */
  segments: number;
}

/**
 * Counts the segments of a text message as carriers bill them (3GPP 23.038; facts: 160/153 septets, 70/67 UTF-16
 * units). One character outside the GSM alphabet turns the whole text into UCS-2, where characters of the extension
 * table count once again. A character of two units is never split over two parts.
 */
export function countSmsSegments(text: string): SmsSize {
  const characters = [...text];
  const encoding = characters.every((c) => GSM_BASIC.has(c) || GSM_EXTENSION.has(c)) ? "gsm7" : "ucs2";
  const widths = characters.map((c) => (encoding === "ucs2" ? c.length : GSM_EXTENSION.has(c) ? 2 : 1));
  const units = widths.reduce((sum, width) => sum + width, 0);
  if (units <= UNITS_ALONE[encoding]) return { encoding, units, segments: units === 0 ? 0 : 1 };
  let segments = 1;
  let used = 0;
  for (const width of widths) {
    if (used + width > UNITS_PER_PART[encoding]) {
      segments += 1;
      used = 0;
    }
    used += width;
  }
  return { encoding, units, segments };
}

const PLAIN: readonly (readonly [RegExp, string])[] = [
  [/[\u2018\u2019\u201a\u201b\u2032\u02bc]/g, "'"],
  [/[\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb]/g, '"'],
  [/[\u2039\u203a]/g, "'"],
  [/[\u2010-\u2015\u2212]/g, "-"],
  [/\u2026/g, "..."],
  [/[\u2022\u00b7]/g, "*"],
  [/[\u00a0\u2000-\u200a\u202f\u205f]/g, " "],
  [/[\u00ad\u200b\u2060\ufeff]/g, ""],
];

/**
 * Swaps typographic quotes, dashes, ellipses and spaces for their plain forms: a single curly apostrophe would turn a
 * text of one segment into one of two. Everything else, letters and emoji included, is left as it is.
 */
export function toPlainPunctuation(text: string): string {
  return PLAIN.reduce((plain, [typographic, replacement]) => plain.replace(typographic, replacement), text);
}
