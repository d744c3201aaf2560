import { describeFailingChannels } from '../../../conformance/faults/failing-channels.ts';
import { Answers } from '../../../conformance/faults/upstreams.ts';
import { allExchanges } from '../../../conformance/shared/recordings.ts';

describeFailingChannels(new Answers(allExchanges()), 'both');
