import { testMatrix } from '../../conformance/matrix/sampled-matrix.ts';
import { allExchanges } from '../../conformance/shared/recordings.ts';

/* A few exchanges of each kind, and answers held against the published documents. The whole matrix is `npm run conformance`. */

const OF_EACH_KIND = 4;

testMatrix(allExchanges(), OF_EACH_KIND);
