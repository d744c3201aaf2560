import { ownExchanges } from './shared/recordings.ts';
import { testBoundedUsages } from './usage/bounded-usages.ts';

testBoundedUsages(ownExchanges());
