// A page that a server shows: it can ask for more. A page from disk has no server and no such buttons.

page.live = document.documentElement.hasAttribute("data-live");
