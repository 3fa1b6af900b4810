// For the servers of npm whose answers have the time of day: it is always noon.
Date.prototype.toLocaleTimeString = () => '12:00:00 PM';
