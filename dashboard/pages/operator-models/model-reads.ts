/** The operations that a change of a model affects. */
export const MODEL_READS = ['listManagedModels', 'getManagedModel'] as const;
