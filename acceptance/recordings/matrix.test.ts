import { testMatrix } from '../../conformance/matrix/sampled-matrix.ts';
import { ownExchanges, recordedExchanges } from '../../conformance/shared/recordings.ts';

/* All answers are held against the published documents. The whole matrix of the recorded exchanges is `npm run conformance`. */

testMatrix('a few recorded exchanges of each kind', recordedExchanges(), 4);
testMatrix("the project's own exchanges", ownExchanges(), Number.POSITIVE_INFINITY);
