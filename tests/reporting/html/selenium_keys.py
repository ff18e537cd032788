"""Keys as WebDriver spells them."""

TAB, ENTER, ESCAPE = "\ue004", "\ue007", "\ue00c"
RIGHT, DOWN = "\ue014", "\ue015"
