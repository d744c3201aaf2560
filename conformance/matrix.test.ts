import { testMatrix } from './matrix/sampled-matrix.ts';
import { ownExchanges } from './shared/recordings.ts';

testMatrix(ownExchanges(), Number.POSITIVE_INFINITY);
