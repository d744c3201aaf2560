import { testChatsThroughSdks } from './openai-chat/chats-through-sdks.ts';
import { ownExchanges } from './shared/recordings.ts';

testChatsThroughSdks(ownExchanges());
