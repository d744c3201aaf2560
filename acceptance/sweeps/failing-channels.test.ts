import { describeFailingChannels } from '../../conformance/faults/failing-channels.ts';
import { Answers } from '../../conformance/faults/upstreams.ts';
import { ownExchanges } from '../../conformance/shared/recordings.ts';

describeFailingChannels(new Answers(ownExchanges()), 'alternating');
