import { z } from 'zod';

/** A member with the present name of the object whose id is beside it. */
export const NAME = z
  .string()
  .nullable()
  .meta({ description: 'The present name of the object. `null` if it has none, or was deleted.' });
