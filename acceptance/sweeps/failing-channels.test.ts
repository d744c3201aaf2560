import { ownExchanges } from '../../conformance/shared/recordings.ts';
import { describeFailingChannels } from '../../conformance/faults/failing-channels.ts';
import { Answers } from '../../conformance/faults/upstreams.ts';

describeFailingChannels(new Answers(ownExchanges()), 'alternating');
