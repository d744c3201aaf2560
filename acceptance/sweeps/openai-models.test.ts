import { describeOpenAiModels, MODELS, openAiBed } from '../../conformance/strict/openai/models.ts';

/* Every model of OpenAI and Azure that rules know, over both wires. */

describeOpenAiModels(openAiBed(), MODELS);
