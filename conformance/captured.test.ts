import { testCapturedAnswers } from './captured/captured-answers.ts';
import { ownExchanges } from './shared/recordings.ts';

testCapturedAnswers(ownExchanges(), { differing: [], shortened: [] });
