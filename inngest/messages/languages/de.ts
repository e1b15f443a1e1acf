import type { MessageWords } from "../words";

const plural = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;

export const de: MessageWords = {
  reminder: "Erinnerung",
  when: "Wann",
  openLink: "Link öffnen",
  manage: "Diese Erinnerung ändern oder absagen",
  why: "Sie haben Punctual gebeten, Sie daran zu erinnern.",
  signInSubject: (code) => `${code} ist Ihr Anmeldecode`,
  signInHeading: "Ihr Anmeldecode",
  signInExplanation: "Geben Sie diesen Code auf der Seite ein, auf der Sie ihn angefordert haben.",
  validFor: (minutes) => `Er gilt ${plural(minutes, "Minute", "Minuten")}.`,
  notYou: "Wenn Sie ihn nicht angefordert haben, ist nichts zu tun. Geben Sie den Code an niemanden weiter.",
  phoneCode: (code, minutes) =>
    `${code} ist Ihr Punctual-Code, gültig ${plural(minutes, "Minute", "Minuten")}. Bitte nie weitergeben.`,
  deviceTest: { title: "Es funktioniert", body: "Erinnerungen erscheinen auf diesem Gerät." },
  stopEmail: "Keine Erinnerungen mehr per E-Mail",
  done: "Erledigt",
  snooze: "In einer Stunde",
  page: {
    title: "Ihre Erinnerung",
    due: "Fällig",
    doneButton: "Erledigt",
    snoozeHour: "In einer Stunde wieder",
    snoozeTomorrow: "Morgen früh",
    cancelButton: "Erinnerung absagen",
    stopHeading: (channel) => `Keine Erinnerungen mehr per ${channel}?`,
    stopButton: (channel) => `Erinnerungen per ${channel} beenden`,
    stopExplanation: (channel) =>
      `Erinnerungen werden nicht mehr per ${channel} gesendet. Andere Wege bleiben, wie sie sind; unter „Channels“ lässt es sich wieder einschalten.`,
    channelNames: { email: "E-Mail", sms: "SMS", push: "Mitteilung" },
    said: {
      done: "Erledigt. Es wird nichts mehr gesendet.",
      snoozed: "Verschoben. Sie kommt zur Zeit unten wieder.",
      cancelled: "Abgesagt. Was nicht gesendet war, wird nicht gesendet.",
      stopped: (channel) => `Erinnerungen per ${channel} sind beendet.`,
      late: "Das war nicht mehr möglich. So steht es jetzt.",
    },
    parcel: {
      title: "Ihr Paket",
      leave: "Diesem Paket nicht mehr folgen",
      leaveExplanation:
        "Sie hören nichts mehr von diesem Paket. Andere, denen Sie folgen, bleiben, wie sie sind.",
      left: "Sie folgen diesem Paket nicht mehr.",
      stopButton: (channel) => `Alle Paketmeldungen per ${channel} beenden`,
      stopExplanation: (channel) =>
        `Von keinem Paket kommt mehr etwas per ${channel}. Unter „Channels“ lässt es sich wieder einschalten.`,
      stopped: (channel) => `Paketmeldungen per ${channel} sind beendet.`,
      signIn: "Paket ansehen",
    },
    signIn: "Alle Erinnerungen ansehen",
    unknownTitle: "Dieser Link führt nirgendwohin",
    unknown:
      "Er ist vielleicht unvollständig, oder seine Erinnerung gibt es nicht mehr. Nichts wurde geändert.",
    inProgress: "(läuft)",
  },
};
