/** Invented: what people type in eight languages. `standing` holds beyond the session, `once` is done with it. */
export const TYPED: Record<string, { standing: readonly string[]; once: readonly string[] }> = {
  English: {
    standing: [
      'From now on always run `make lint` before you commit.', 'Never push directly to main, always open a pull request.', 'We use pnpm in this repo, never npm.', 'Please keep commit messages short and in the imperative.',
      'Do not edit files under `gen/` by hand, they are generated.', 'I prefer plain functions over classes.', 'Tests must not call the network.', 'Only add a dependency when I have agreed to it.',
      'Every new endpoint needs an entry in `docs/api.md`.', 'Remember that staging uses its own database.',
    ],
    once: [
      'Fix the failing test in `cart.test.ts`.', 'Can you look at the error from the last run?', 'Add a button to the checkout page.', 'Ok, commit this and push.', 'Now rename that variable to `total`.', 'What does this function do?',
      'Let us go with option B.', 'The page is still broken.', 'Show me the diff again.', 'Try it once more with the other file.',
    ],
  },
  German: {
    standing: [
      'Ab jetzt immer `make lint` vor dem Commit ausführen.', 'Niemals direkt auf main pushen, immer einen Pull Request öffnen.', 'Wir verwenden in diesem Repo pnpm, nie npm.', 'Bitte halte Commit-Nachrichten immer kurz.',
      'Dateien unter `gen/` nicht von Hand ändern, sie werden erzeugt.', 'Ich bevorzuge einfache Funktionen statt Klassen.', 'Tests dürfen nie auf das Netz zugreifen.', 'Neue Abhängigkeiten nur nach Absprache hinzufügen.',
      'Jeder neue Endpunkt muss in `docs/api.md` stehen.', 'Denk daran, dass Staging eine eigene Datenbank hat.',
    ],
    once: [
      'Behebe den fehlschlagenden Test in `cart.test.ts`.', 'Kannst du dir den Fehler vom letzten Lauf ansehen?', 'Füge einen Knopf auf der Kassenseite hinzu.', 'Ok, committe das und pushe.', 'Benenne jetzt diese Variable in `total` um.',
      'Was macht diese Funktion?', 'Nehmen wir Variante B.', 'Die Seite ist immer noch kaputt.', 'Zeig mir noch mal den Diff.', 'Versuch es noch einmal mit der anderen Datei.',
    ],
  },
  French: {
    standing: [
      'À partir de maintenant, lance toujours `make lint` avant de committer.', 'Ne pousse jamais directement sur main, ouvre toujours une pull request.', 'Nous utilisons pnpm dans ce dépôt, jamais npm.', 'Garde toujours les messages de commit courts.',
      'Ne modifie pas les fichiers de `gen/` à la main, ils sont générés.', 'Je préfère des fonctions simples plutôt que des classes.', 'Les tests ne doivent jamais appeler le réseau.', "N'ajoute une dépendance que si je suis d'accord.",
      'Chaque nouvel endpoint doit figurer dans `docs/api.md`.', "N'oublie pas que la préproduction a sa propre base de données.",
    ],
    once: [
      'Corrige le test qui échoue dans `cart.test.ts`.', "Peux-tu regarder l'erreur de la dernière exécution ?", 'Ajoute un bouton sur la page de paiement.', 'Ok, committe ça et pousse.', 'Maintenant renomme cette variable en `total`.',
      'Que fait cette fonction ?', "Partons sur l'option B.", 'La page est toujours cassée.', 'Montre-moi encore le diff.', "Essaie encore une fois avec l'autre fichier.",
    ],
  },
  Spanish: {
    standing: [
      'A partir de ahora ejecuta siempre `make lint` antes de hacer commit.', 'Nunca hagas push directo a main, abre siempre un pull request.', 'En este repo usamos pnpm, nunca npm.', 'Mantén siempre cortos los mensajes de commit.',
      'No modifiques a mano los archivos de `gen/`, se generan.', 'Prefiero funciones simples en lugar de clases.', 'Los tests no deben llamar nunca a la red.', 'Añade dependencias solo cuando yo lo apruebe.',
      'Cada endpoint nuevo debe estar en `docs/api.md`.', 'Recuerda que staging tiene su propia base de datos.',
    ],
    once: [
      'Arregla el test que falla en `cart.test.ts`.', '¿Puedes mirar el error de la última ejecución?', 'Añade un botón a la página de pago.', 'Vale, haz commit de esto y push.', 'Ahora renombra esa variable a `total`.',
      '¿Qué hace esta función?', 'Vamos con la opción B.', 'La página sigue rota.', 'Muéstrame otra vez el diff.', 'Prueba otra vez con el otro archivo.',
    ],
  },
  Portuguese: {
    standing: [
      'A partir de agora rode sempre `make lint` antes de commitar.', 'Nunca faça push direto na main, abra sempre um pull request.', 'Neste projeto usamos pnpm, nunca npm.', 'Mantenha sempre as mensagens de commit curtas.',
      'Não edite os arquivos de `gen/` à mão, eles são gerados.', 'Prefiro funções simples em vez de classes.', 'Os testes não devem nunca chamar a rede.', 'Só adicione uma dependência quando eu aprovar.',
      'Cada endpoint novo deve estar em `docs/api.md`.', 'Lembre-se de que o staging tem seu próprio banco de dados.',
    ],
    once: [
      'Corrija o teste que falha em `cart.test.ts`.', 'Você pode olhar o erro da última execução?', 'Adicione um botão na página de pagamento.', 'Ok, commite isso e faça push.', 'Agora renomeie essa variável para `total`.',
      'O que faz esta função?', 'Vamos com a opção B.', 'A página continua quebrada.', 'Mostre o diff de novo.', 'Tente mais uma vez com o outro arquivo.',
    ],
  },
  Chinese: {
    standing: [
      '从现在起，每次提交前都必须运行 `make lint`。', '不要直接推送到 main，总是先开 pull request。', '我们这个项目使用 pnpm，不要用 npm。', '提交信息要始终保持简短。', '不要手动修改 `gen/` 下的文件，它们是生成的。', '我更喜欢用简单的函数而不是类。',
      '测试绝不能访问网络。', '只有我同意之后才能添加依赖。', '每个新接口都必须写进 `docs/api.md`。', '记住预发布环境有自己的数据库。',
    ],
    once: [
      '修复 `cart.test.ts` 里失败的测试。', '能不能看一下上次运行的错误？', '在结账页面加一个按钮。', '好的，提交并推送这个。', '现在把这个变量改名为 `total`。', '这个函数是做什么的？', '就用方案 B 吧。', '页面还是坏的。', '再给我看一下 diff。', '用另一个文件再试一次。',
    ],
  },
  Japanese: {
    standing: [
      'これからは、コミットの前に必ず `make lint` を実行してください。', 'main に直接プッシュしないで、必ずプルリクエストを作成してください。', 'このプロジェクトでは pnpm を使い、npm は使わないでください。', 'コミットメッセージは常に短くしてください。', '`gen/` 以下のファイルは生成物なので手で変更しないでください。',
      'クラスではなく単純な関数の方がいいです。', 'テストは絶対にネットワークにアクセスしないこと。', '依存関係は私が承認した場合だけ追加してください。', '新しいエンドポイントはすべて `docs/api.md` に書く必要があります。', 'ステージングには専用のデータベースがあることを覚えておいて。',
    ],
    once: [
      '`cart.test.ts` の失敗しているテストを直して。', '前回の実行のエラーを見てもらえますか？', '決済ページにボタンを追加して。', 'はい、これをコミットしてプッシュして。', '今その変数を `total` に変更して。', 'この関数は何をしますか？', '案 B で行こう。', 'ページはまだ壊れています。', 'もう一度 diff を見せて。', '別のファイルでもう一度試して。',
    ],
  },
  Russian: {
    standing: [
      'Впредь всегда запускай `make lint` перед коммитом.', 'Никогда не пушь напрямую в main, всегда открывай pull request.', 'В этом проекте мы используем pnpm, никогда не npm.', 'Сообщения коммитов всегда должны быть короткими.', 'Не меняй вручную файлы в `gen/`, они генерируются.',
      'Я предпочитаю простые функции вместо классов.', 'Тесты никогда не должны обращаться к сети.', 'Добавляй зависимости только после моего согласия.', 'Каждый новый эндпоинт должен быть описан в `docs/api.md`.', 'Помни, что у стейджинга своя база данных.',
    ],
    once: [
      'Исправь падающий тест в `cart.test.ts`.', 'Можешь посмотреть ошибку последнего запуска?', 'Добавь кнопку на страницу оплаты.', 'Ок, закоммить это и запушь.', 'Теперь переименуй эту переменную в `total`.', 'Что делает эта функция?', 'Давай возьмём вариант B.', 'Страница всё ещё сломана.', 'Покажи мне diff ещё раз.', 'Попробуй ещё раз с другим файлом.',
    ],
  },
};
