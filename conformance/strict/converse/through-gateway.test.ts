import { bedrockConverse } from './index.ts';
import { converseBed, describeConverseModels } from './models.ts';

/* Requests in every client format become requests that Converse accepts. `acceptance/sweeps` asks the models of every vendor. */

const [claude = ''] = bedrockConverse.models;
const others = bedrockConverse.models.filter((model) => /amazon.nova-pro|mistral|gpt-oss/.test(model));

describeConverseModels(converseBed(), [claude, ...others]);
