import fs from "node:fs";
import path from "node:path";
import { canMount, smallDisk } from "../machine";

/** The memory of what is stored is used, not all of it. */
const SIZE = "6g";
const ATTEMPTS = 100;

export interface Disk {
  /** Leaves no free byte. */
  fill: () => void;
  /** Makes room again. */
  free: () => void;
  remove: () => void;
}

/** Returns why disks can't be made full here, or null. */
export const whyNoDisks = () => (canMount ? null : "file systems can't be mounted");

/** Mounts a separate disk in a folder, which is created. */
export function createDisk(folder: string): Disk {
  fs.mkdirSync(path.dirname(folder), { recursive: true, mode: 0o755 });
  fs.mkdirSync(folder);
  const disk = smallDisk(SIZE, folder);
  if (!disk) throw new Error(`no disk can be mounted in ${folder}`);
  const fill = () => {
    // What is written in between makes the disk larger than it may become.
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { blocks, bfree, bsize } = fs.statfsSync(folder);
      if (bfree === 0) return;
      disk.resize(`${((blocks - bfree) * bsize) / 1024}k`);
    }
    throw new Error(`${folder} can't be made full`);
  };
  return { fill, free: () => disk.resize(SIZE), remove: disk.remove };
}
