import { describe } from 'bun:test';
import { loadSamples } from '../../conformance/fuzz/samples.ts';
import { allExchanges } from '../../conformance/shared/recordings.ts';
import { documentedFields } from '../../conformance/zero-values/documents.ts';
import { testZeroValues } from '../../conformance/zero-values/zero-values.ts';

/* Members with their zero value: those that a published document or another recording has, in recorded answers. */

/** The stride through the recordings and the members of a stream's events; all of them take minutes (`STRIDE=1`). */
const stride = Number(process.env.STRIDE ?? 16);

describe('members with their zero value', () => {
  testZeroValues(loadSamples(allExchanges(), stride), { stride, fieldsOf: documentedFields });
});
