import { describe } from 'bun:test';
import { loadSamples } from '../../conformance/fuzz/samples.ts';
import { allExchanges } from '../../conformance/shared/recordings.ts';
import { documentedFields } from '../../conformance/zero-values/documents.ts';
import { testZeroValues } from '../../conformance/zero-values/zero-values.ts';

/* Recorded responses with members set to their zero value, for members known from documents or other recordings. */

/** The stride through recordings and stream members. Trying all of them takes minutes (`STRIDE=1`). */
const stride = Number(process.env.STRIDE ?? 16);

describe('members with a zero value', () => {
  testZeroValues(loadSamples(allExchanges(), stride), { stride, fieldsOf: documentedFields });
});
