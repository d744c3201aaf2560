import { recordedExchanges } from '../../conformance/shared/recordings.ts';
import { testBoundedUsages } from '../../conformance/usage/bounded-usages.ts';

testBoundedUsages(recordedExchanges());
