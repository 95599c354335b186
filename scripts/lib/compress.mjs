import fs from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import zlib from "node:zlib";

const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);
const COMPRESSIBLE = /\.(js|css|svg)$/;

/**
 * Writes each script and stylesheet below a folder again with Brotli and with gzip, as `….br` and `….gz`, at the highest levels. That takes
 * seconds, so it is done once.
 *
 * @param {string} folder
 */
export async function compressFiles(folder) {
  const names = await fs.readdir(folder, { recursive: true });
  const files = names.filter((name) => COMPRESSIBLE.test(name)).map((name) => path.join(folder, name));
  await Promise.all(
    files.map(async (file) => {
      const content = await fs.readFile(file);
      const hint = { [zlib.constants.BROTLI_PARAM_SIZE_HINT]: content.length };
      await Promise.all([
        fs.writeFile(`${file}.br`, await brotli(content, { params: hint })),
        fs.writeFile(`${file}.gz`, await gzip(content, { level: 9 })),
      ]);
    }),
  );
}
