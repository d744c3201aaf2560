import { testCachedAnswers } from '../../conformance/cache/cached-answers.ts';
import { ownExchanges } from '../../conformance/shared/recordings.ts';

testCachedAnswers(ownExchanges(), 2);
