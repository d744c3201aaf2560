/** What a change of a model's facts alters. */
export const MODEL_READS = ['listManagedModels', 'getManagedModel'] as const;
