// Ends the programs of a cluster, and removes its disks and networks, if the process of its tests was killed and could not. Runs in a separate
// process: node reaper.mjs PID FOLDER BRIDGE
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

const [pid, folder, bridge] = process.argv.slice(2);
const POLL_MS = 500;

while (isAlive(Number(pid)) && fs.existsSync(folder)) await pause(POLL_MS);
if (fs.existsSync(folder)) {
  // Some start others again, so until none is left.
  while (killPrograms() > 0) await pause(POLL_MS);
  removeDisks();
  removeNetworks();
  fs.rmSync(folder, { recursive: true, force: true });
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Kills what runs in the folder or has it in its environment. Returns how many there were. */
function killPrograms() {
  const all = fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const own = all.filter((name) => {
    try {
      const isInside = fs.readlinkSync(`/proc/${name}/cwd`).startsWith(folder);
      return isInside || fs.readFileSync(`/proc/${name}/environ`, "utf8").includes(folder);
    } catch {
      // It has ended, or belongs to someone else.
      return false;
    }
  });
  for (const name of own) {
    try {
      process.kill(Number(name), "SIGKILL");
    } catch {}
  }
  return own.length;
}

function removeDisks() {
  const mounts = fs.readFileSync("/proc/mounts", "utf8").split("\n");
  const places = mounts.map((line) => line.split(" ")[1] ?? "").filter((place) => place.startsWith(`${folder}/`));
  for (const place of places) spawnSync("umount", ["--lazy", place]);
}

function removeNetworks() {
  const names = fs.existsSync("/run/netns") ? fs.readdirSync("/run/netns") : [];
  for (const name of names.filter((one) => one.startsWith(`${bridge}-`))) spawnSync("ip", ["netns", "del", name]);
  const links = fs.readdirSync("/sys/class/net").filter((one) => one.startsWith(bridge));
  for (const link of links) spawnSync("ip", ["link", "del", link]);
}
