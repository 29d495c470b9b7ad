/* assistant-ui as a team would use it: its primitives over the AI SDK's transport, and one component for Vesper's clarifying
 * questions. */

import { createRoot } from 'react-dom/client';
import { useChat } from '@ai-sdk/react';
import { AssistantRuntimeProvider, ComposerPrimitive, MessagePrimitive, ThreadPrimitive } from '@assistant-ui/react';
import { AssistantChatTransport, useAISDKRuntime } from '@assistant-ui/ai-sdk';

const { api, token, chat } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
const transport = new AssistantChatTransport({ api, headers: { authorization: `Bearer ${token}` } });

const isQuestion = (part) => part.type === 'dynamic-tool' && part.toolName === 'request_user_selection';
const isAnswered = ({ messages }) => messages.at(-1).parts.some((part) => isQuestion(part) && part.state === 'output-available');

function Question({ args, result, addResult }) {
  return <fieldset aria-label={args.prompt}>
    {args.options?.map(({ value, label }) =>
      <button type="button" key={value} disabled={result !== undefined} onClick={() => addResult({ values: [value] })}>{label}</button>)}
  </fieldset>;
}

const Tool = ({ toolName, result }) => <p data-tool={toolName}>{result === undefined ? 'runs' : result.outcome}</p>;
const tools = { by_name: { request_user_selection: Question }, Fallback: Tool };
const User = () => <MessagePrimitive.Root data-role="user"><MessagePrimitive.Parts /></MessagePrimitive.Root>;
const Assistant = () => <MessagePrimitive.Root data-role="assistant"><MessagePrimitive.Parts components={{ tools }} /></MessagePrimitive.Root>;

function Page() {
  const runtime = useAISDKRuntime(useChat({ id: chat, transport, resume: true, sendAutomaticallyWhen: isAnswered }));

  return <AssistantRuntimeProvider runtime={runtime}>
    <ThreadPrimitive.Root>
      <ThreadPrimitive.Viewport>
        <ThreadPrimitive.Messages components={{ UserMessage: User, AssistantMessage: Assistant }} />
      </ThreadPrimitive.Viewport>
      <ComposerPrimitive.Root>
        <ComposerPrimitive.Input aria-label="Your question" />
        <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
        <ComposerPrimitive.Cancel>Stop</ComposerPrimitive.Cancel>
      </ComposerPrimitive.Root>
    </ThreadPrimitive.Root>
  </AssistantRuntimeProvider>;
}

createRoot(document.getElementById('page')).render(<Page />);
