import { writeFileSync } from 'node:fs';
import { FORMATS } from '../judges/index.ts';
import { leafRequests } from './leaf-requests.ts';
import { SAMPLE_FILE, sampleOf } from './sampled-leaves.ts';

/* `bun conformance/leaves/write-sample.ts` rewrites the sample of the published documents' leaves, one request per line. */

const lines = FORMATS.flatMap((format) => sampleOf(leafRequests(format))).map((request) => JSON.stringify(request));
writeFileSync(SAMPLE_FILE, `${lines.join('\n')}\n`);
