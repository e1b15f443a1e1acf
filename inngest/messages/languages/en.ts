import type { MessageWords } from "../words";

const plural = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;

export const en: MessageWords = {
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
  deviceTest: { title: "It works", body: "Reminders will show on this device." },
  stopEmail: "No more reminders by email",
  done: "Done",
  snooze: "In an hour",
  page: {
    title: "Your reminder",
    due: "Due",
    doneButton: "Done",
    snoozeHour: "Again in an hour",
    snoozeTomorrow: "Tomorrow morning",
    cancelButton: "Cancel reminder",
    stopHeading: (channel) => `No more reminders by ${channel}?`,
    stopButton: (channel) => `Stop reminders by ${channel}`,
    stopExplanation: (channel) =>
      `Reminders that name ${channel} will not be sent there any more. Other ways stay as they are, and you can turn it on again under Channels.`,
    channelNames: { email: "email", sms: "text message", push: "notification" },
    said: {
      done: "Done. Nothing more of it will be sent.",
      snoozed: "Snoozed. It comes again at the time below.",
      cancelled: "Cancelled. What had not been sent will not be sent.",
      stopped: (channel) => `Reminders by ${channel} are stopped.`,
      late: "That was not possible any more. This is how it stands now.",
    },
    parcel: {
      title: "Your parcel",
      leave: "Stop following this parcel",
      leaveExplanation: "You hear nothing more of this parcel. Others that you follow stay as they are.",
      left: "You do not follow this parcel any more.",
      stopButton: (channel) => `Stop all parcel updates by ${channel}`,
      stopExplanation: (channel) =>
        `No parcel is told by ${channel} any more, whichever you follow. You can turn it on again under Channels.`,
      stopped: (channel) => `Parcel updates by ${channel} are stopped.`,
      signIn: "See the parcel",
    },
    signIn: "See all your reminders",
    unknownTitle: "This link leads nowhere",
    unknown: "It may be incomplete, or its reminder no longer exists. Nothing has been changed.",
    inProgress: "(in progress)",
  },
};
