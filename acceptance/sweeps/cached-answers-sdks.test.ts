import { ownExchanges } from '../../conformance/shared/recordings.ts';
import { testCachedAnswers } from '../../conformance/cache/cached-answers.ts';

testCachedAnswers(ownExchanges(), 2);
