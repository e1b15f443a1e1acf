import type { Strike } from "./strike";

const forget: Strike = (stage, dice, atMs) => {
  const downMs = dice.int(0, 30_000);
  const { world } = stage;
  stage.at(atMs, () => {
    stage.struck("engine forgets", `and is away for ${downMs} ms`);
    world.engine.forgetEverything();
    world.engineDown = true;
    const comeBack = () => {
      world.engineDown = false;
      // A dev server asks its apps every few seconds until one answers.
      void world.resync().then((synced) => {
        if (!synced) world.clock.setTimer(world.nowMs() + 5_000, comeBack);
      });
    };
    world.clock.setTimer(world.nowMs() + downMs, comeBack);
  });
};

/** What an engine does to events and answers. */
export const EVENT_TROUBLES = [
  "refuse",
  "lose-acks",
  "duplicate",
  "delay",
  "reorder",
  "drop-answers",
  "freeze",
] as const;

const troubleEvents: Strike = (stage, dice, atMs) =>
  troubleWith(dice.pick(EVENT_TROUBLES))(stage, dice, atMs);

/** One such trouble for some time. */
export const troubleWith =
  (kind: (typeof EVENT_TROUBLES)[number]): Strike =>
  (stage, dice, atMs) => {
    const { faults } = stage.world.engine;
    const forMs = dice.int(1_000, 45_000);
    const count = dice.int(1, 6);
    const during = (start: () => void, end: () => void) => {
      stage.at(atMs, () => {
        stage.struck(`engine: ${kind}`, `for ${forMs} ms`);
        start();
      });
      stage.at(Math.min(atMs + forMs, stage.length.faultsEndMs), end);
    };
    const set = (change: Partial<typeof faults>) => () => void Object.assign(faults, change);
    switch (kind) {
      case "refuse":
        return during(set({ refuseEvents: true }), set({ refuseEvents: false }));
      case "lose-acks":
        return during(set({ loseEventAcks: count }), set({}));
      case "duplicate":
        return during(set({ duplicateEvents: count }), set({}));
      case "delay":
        return during(set({ delayEventsMs: dice.int(200, 20_000) }), set({ delayEventsMs: 0 }));
      case "reorder":
        return during(
          set({ onEvent: () => Array.from({ length: dice.int(1, 3) }, () => dice.int(0, 8_000)) }),
          set({ onEvent: null }),
        );
      case "drop-answers":
        return during(set({ dropResponses: count }), set({}));
      case "freeze":
        return during(
          () => faults.freeze(),
          () => faults.thaw(),
        );
    }
  };

/** What a deploy leaves in flight: events of a writer that is newer than the reader, or older. */
const mixedVersions: Strike = (stage, dice, atMs) => {
  const share = dice.pick([0.2, 0.5, 1]);
  const newer = dice.chance(0.5);
  const { world } = stage;
  stage.at(atMs, () => {
    world.onEvent = (event) => {
      if (!dice.chance(share)) return event;
      stage.struck(newer ? "deploy: event of a version nobody reads" : "deploy: event with more in it");
      const data = newer ? { ...event.data, v: 99 } : { ...event.data, addedLater: { by: "another build" } };
      return { ...event, data };
    };
  });
  stage.at(Math.min(atMs + dice.int(2_000, 20_000), stage.length.faultsEndMs), () => {
    world.onEvent = null;
  });
};

/** A deploy: the process is replaced at once, and what the engine has in flight meets the new one. */
const deploy: Strike = (stage, _dice, atMs) => {
  stage.at(atMs, () => {
    if (stage.world.app.down) return;
    stage.struck("deploy: process replaced");
    stage.killApp(1);
  });
};

export const ENGINE_STRIKES = { forget, troubleEvents, mixedVersions, deploy };
