import { ownExchanges } from '../shared/recordings.ts';
import { testCachedAnswers } from './cached-answers.ts';

testCachedAnswers(ownExchanges(), 2);
