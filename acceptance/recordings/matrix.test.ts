import { testMatrix } from '../../conformance/matrix/sampled-matrix.ts';
import { ownExchanges, recordedExchanges } from '../../conformance/shared/recordings.ts';

/* Validates all responses against the published documents. `npm run conformance` runs the whole matrix of recorded exchanges. */

testMatrix('a few recorded exchanges of each kind', recordedExchanges(), 4);
testMatrix("the project's own exchanges", ownExchanges(), Number.POSITIVE_INFINITY);
