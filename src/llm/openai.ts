/** Every server that speaks `/v1/chat/completions`: Ollama, llama-server, LM Studio, OpenAI and others. */
import { postJson } from './http.js';
import { ModelError, type LanguageModel } from './model.js';

interface Completion {
  choices?: { message?: { content?: unknown } }[];
  usage?: { prompt_tokens?: unknown; completion_tokens?: unknown };
}

/**
 * @param url the base, up to and with `/v1`
 * @param key null for servers that want none
 */
export const openOpenAi = (url: string, model: string, key: string | null): LanguageModel => ({
  provider: 'openai',
  model,
  async ask(prompt, { maxTokens, signal }) {
    const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
    // One user message: small models have no system role. Temperature 0: the same session gives the same lessons where the server can.
    const body = { model, messages: [{ role: 'user', content: prompt }], max_tokens: maxTokens, temperature: 0, stream: false };
    const answer = (await postJson(`${url.replace(/\/+$/, '')}/chat/completions`, headers, body, signal)) as Completion | null;
    const text = answer?.choices?.[0]?.message?.content;
    if (typeof text !== 'string') throw new ModelError('failed', `the answer of ${model} holds no message`);
    return { text, tokensIn: countOf(answer?.usage?.prompt_tokens), tokensOut: countOf(answer?.usage?.completion_tokens) };
  },
});

/** A count as the provider tells it; null when it tells none. */
export const countOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : null;
