import type { ShownTask } from '../../api/schema.ts';
import { useChange } from '../../api/use-api.ts';
import { useToast } from '../../kit/toast.tsx';
import { useScope } from '../../shell/scope.tsx';
import { tasksText } from '../../text/tasks.ts';
import { useText } from '../../text/text.tsx';
import { CancelButton } from '../shared/cancel-button.tsx';

/** Cancels an unfinished task at its provider. */
export function CancelTask({ task: { id } }: { readonly task: ShownTask }) {
  const text = useText(tasksText);
  const toast = useToast();
  const { query } = useScope();
  const cancel = useChange('cancelManagedTask', {
    touches: ['listManagedTasks', 'getManagedTask'],
    onDone: ({ cancelled }) => toast.done(cancelled ? text.wasCanceled : text.cancelAsked),
  });
  return (
    <CancelButton
      text={text}
      isBusy={cancel.isPending}
      onConfirm={() => cancel.mutateAsync({ params: { id }, query })}
    />
  );
}
