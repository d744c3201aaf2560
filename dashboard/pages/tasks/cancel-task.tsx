import { Ban } from 'lucide-react';
import { useState } from 'react';
import type { ShownTask } from '../../api/schema.ts';
import { useChange } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useScope } from '../../shell/scope.tsx';
import { tasksText } from '../../text/tasks.ts';
import { useText } from '../../text/text.tsx';

/** Cancels an unfinished task at its provider. */
export function CancelTask({ task: { id } }: { readonly task: ShownTask }) {
  const text = useText(tasksText);
  const toast = useToast();
  const { query } = useScope();
  const [isAsking, setAsking] = useState(false);
  const cancel = useChange('cancelManagedTask', {
    touches: ['listManagedTasks', 'getManagedTask'],
    onDone: ({ cancelled }) => toast.done(cancelled ? text.wasCanceled : text.cancelAsked),
  });
  return (
    <>
      <Button size="small" icon={Ban} isBusy={cancel.isPending} onClick={() => setAsking(true)}>
        {text.cancel}
      </Button>
      <ConfirmDialog
        title={text.cancelTitle}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        isDanger
        confirmLabel={text.cancel}
        onConfirm={() => cancel.mutateAsync({ params: { id }, query })}
        body={<p>{text.cancelText}</p>}
      />
    </>
  );
}
