import { testMatrix } from './matrix/sampled-matrix.ts';
import { ownExchanges } from './shared/recordings.ts';

testMatrix("the project's own exchanges", ownExchanges(), Number.POSITIVE_INFINITY);
