import { ownExchanges } from '../shared/recordings.ts';
import { describeFailingChannels } from './failing-channels.ts';
import { Answers } from './upstreams.ts';

describeFailingChannels(new Answers(ownExchanges()), 'alternating');
