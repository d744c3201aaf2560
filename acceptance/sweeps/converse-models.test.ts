import { bedrockConverse } from '../../conformance/strict/converse/index.ts';
import { converseBed, describeConverseModels } from '../../conformance/strict/converse/models.ts';

/* The models of every vendor that Converse serves. */

describeConverseModels(converseBed(), bedrockConverse.models);
