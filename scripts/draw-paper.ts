// The process that draws papers beside the server: lib/printing/draw-apart.ts starts it. It draws one at a time.
import { drawPaper } from "@/lib/printing/rules/paper";
import type { Paper } from "@/lib/printing/schema";

process.on("message", async (paper: Paper) => {
  try {
    process.send?.({ bytes: await drawPaper(paper) });
  } catch (error) {
    process.send?.({ failure: error instanceof Error ? error.stack : String(error) });
  }
});

// It ends with the server, also where that was killed. Ctrl-C reaches the whole group, and requests under way may finish.
process.on("disconnect", () => process.exit());
