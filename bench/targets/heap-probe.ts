// Loaded into a server (`--preload`): reports the number of objects of each type in its heap, including dead ones until they are collected.
// GET /now; /full collects everything first, /young only what has not survived a collection. Environment: HEAP_PROBE_PORT.
import { edenGC, fullGC, heapStats } from 'bun:jsc';

const port = Number(process.env.HEAP_PROBE_PORT);

if (Bun.isMainThread && port > 0) {
  const server = Bun.serve({
    port,
    hostname: '127.0.0.1',
    fetch({ url }) {
      if (url.endsWith('/full')) fullGC();
      if (url.endsWith('/young')) edenGC();
      return Response.json(heapStats().objectTypeCounts);
    },
  });
  server.unref();
}
