import { describe } from 'bun:test';
import { loadSamples } from './fuzz/samples.ts';
import { ownExchanges } from './shared/recordings.ts';
import { testZeroValues } from './zero-values/zero-values.ts';

/* Adds each member that one of the project's own exchanges has to all others, with a zero value. */

describe('members with a zero value', () => testZeroValues(loadSamples(ownExchanges()), { stride: 8 }));
