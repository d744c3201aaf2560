import { testRelayedBytes } from '../../conformance/openai-chat/chat-relay.ts';
import { recordedExchanges } from '../../conformance/shared/recordings.ts';

testRelayedBytes(recordedExchanges());
