import { testChatsThroughSdks } from '../../conformance/openai-chat/chats-through-sdks.ts';
import { recordedExchanges } from '../../conformance/shared/recordings.ts';

testChatsThroughSdks(recordedExchanges());
