import { eraseSubscriber } from "../db/privacy/erase";
import { exportSubscriber } from "../db/privacy/export";
import { findPerson } from "../db/privacy/find";
import { answer, told, type Verb } from "./ops-verbs";

export const PRIVACY_HELP = `  export <person>                             everything that is kept about a person, as JSON
  erase <person> --reason …                   erase them; the ledger and hashes of stopped addresses stay
                                              <person>: our id, the shop's id, a proved address or number`;

/** The verbs about one person's data. */
export const PRIVACY: Record<string, Verb> = {
  async export({ argument }) {
    const found = await findPerson(argument(0, "person"));
    if (!found.ok) return found;
    const data = await exportSubscriber(found.value.subscriberId);
    return told(data, (value) => answer(value, [JSON.stringify(value, null, 2)]));
  },
  async erase({ argument, operator }) {
    const found = await findPerson(argument(0, "person"));
    if (!found.ok) return found;
    const erased = await eraseSubscriber(found.value.subscriberId, operator());
    return told(erased, ({ subscriberId, reminders, addresses, ended }) =>
      answer({ ok: true, subscriberId, reminders, addresses, ended }, [
        `${subscriberId}: erased. ${reminders} reminders, ${addresses} addresses; ${ended} waiting deliveries ended.`,
      ]),
    );
  },
};
