import * as databases from "./databases";
import type { FaultName } from "./names.mjs";
import * as programs from "./programs";
import * as standbys from "./standbys";
import * as stores from "./stores";
import * as times from "./times";
import { runTwoVersions } from "./versions";
import type { Fault } from "./world";

export const FAULTS: Record<FaultName, Fault> = {
  "a server is killed": programs.killServer,
  "the primary database is killed": databases.killPrimary,
  "the image store hangs for 5 s": stores.hangStore,
  "a worker is killed": programs.killWorker,
  "a server is replaced": programs.replaceServer,
  "both servers are killed": programs.killServers,
  "both workers are killed": programs.killWorkers,
  "both workers are killed during a conversion": programs.killConversion,
  "the primary database is killed during a conversion": databases.killPrimaryWhileConverting,
  "HAProxy is killed": programs.killHaproxy,
  "Redis hangs for 5 s": programs.hangRedis,
  "two versions run side by side": runTwoVersions,
  "the primary is switched on request": databases.switchOver,
  "Patroni of the primary is killed": databases.killPatroni,
  "the machine of the primary is lost": databases.loseMachine,
  "the machine of the primary hangs": databases.hangMachine,
  "the primary is cut off from the network": databases.cutOffPrimary,
  "the primary is cut off from etcd and the standbys": databases.isolatePrimary,
  "the synchronous standby is killed": standbys.killStandby,
  "the synchronous standby hangs": standbys.hangStandby,
  "the leader of etcd hangs": databases.hangEtcd,
  "the disk of the primary is full": databases.fillDisk,
  "the database has no connections left": databases.exhaustConnections,
  "a lock blocks all connections of the pools": databases.blockPools,
  "the disk of the image store is full": stores.fillStore,
  "the image store is slow": stores.slowStore,
  "the image store answers too late": stores.lateStore,
  "the image store refuses connections": stores.refuseStore,
  "webhooks are rejected": stores.rejectWebhooks,
  "webhooks are answered too late": stores.slowWebhooks,
  "webhooks lose their connections": stores.resetWebhooks,
  "the clock of a server is an hour ahead": times.serverAhead,
  "the clock of a server is an hour behind": times.serverBehind,
  "the clock of a worker is an hour ahead": times.workerAhead,
  "the clock of a worker is an hour behind": times.workerBehind,
  "retries fail while the clock of a worker is an hour ahead": times.retriesAhead,
  "retries fail while the clock of a worker is an hour behind": times.retriesBehind,
  "the clock of a server passes the deadline of a practice": times.passDeadlineEarly,
  "the deadline of a practice passes": times.passDeadline,
};
