// Faults of the image store and of endpoints for webhooks.
import { setTimeout } from "node:timers/promises";
import { until } from "./until";
import type { Fault, FaultContext, World } from "./world";

const HANG_MS = 5_000;
/** Less than `/readyz` waits for the store. */
const DELAY_MS = 1_500;
/** Longer than a server waits for the store. */
const LATE_STORE_MS = 30_000;
/** Longer than WEBHOOK_TIMEOUT_MS in world.ts. */
const LATE_WEBHOOK_MS = 4_000;
/** Each client uploads an image in a round of four writes. */
const ROUND = 4;
/** So many that some are retried more than once. */
const WEBHOOKS = 12;
const WEBHOOKS_MS = 60_000;

export const hangStore: Fault = {
  async inject({ cluster }) {
    cluster.signalStore("SIGSTOP");
    await setTimeout(HANG_MS);
    cluster.signalStore("SIGCONT");
  },
};

export const slowStore: Fault = {
  async inject({ store, untilWritten }) {
    store.delayMs = DELAY_MS;
    try {
      await untilWritten(ROUND);
    } finally {
      store.delayMs = 0;
    }
  },
};

/** The store answers after the servers have given up, and may have stored the image. */
export const lateStore: Fault = {
  async inject({ store, untilFailures }) {
    store.delayMs = LATE_STORE_MS;
    try {
      await untilFailures(ROUND);
      await setTimeout(HANG_MS);
    } finally {
      store.delayMs = 0;
    }
  },
};

export const refuseStore: Fault = {
  async inject({ store, untilFailures }) {
    store.refuse(true);
    try {
      await untilFailures(ROUND);
      await setTimeout(HANG_MS);
    } finally {
      store.refuse(false);
    }
  },
};

export const fillStore: Fault = {
  needs: "disks",
  async inject({ disks, untilFailures }) {
    const disk = disks.get("images");
    disk?.fill();
    try {
      await untilFailures(ROUND);
    } finally {
      disk?.free();
    }
  },
};

/** Webhooks are answered in another way for a while. */
const failWebhooks = (answer: World["webhooks"]["answer"]): Fault => ({
  async inject({ webhooks }: FaultContext) {
    let failed = 0;
    webhooks.answer = (request, response) => {
      failed += 1;
      answer(request, response);
    };
    try {
      await until(() => failed >= WEBHOOKS, WEBHOOKS_MS);
    } finally {
      webhooks.answer = webhooks.accept;
    }
  },
});

export const rejectWebhooks = failWebhooks((_request, response) => response.writeHead(500).end());
/** The endpoint accepts each webhook, but its response comes too late: the attempt fails, and the webhook is sent again. */
export const slowWebhooks: Fault = {
  inject: (context) =>
    failWebhooks(async (request, response) => {
      await setTimeout(LATE_WEBHOOK_MS);
      context.webhooks.accept(request, response);
    }).inject(context),
};
export const resetWebhooks = failWebhooks((_request, response) => response.socket?.destroy());
